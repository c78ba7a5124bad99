#include "CDiskLog.h"
