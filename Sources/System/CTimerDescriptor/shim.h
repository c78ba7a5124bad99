// Linux's timers as file descriptors, which Swift's module of the C library leaves out. No library to link.
#ifdef __linux__
#include <sys/timerfd.h>
#endif
