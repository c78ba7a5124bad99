// A program that uses the library product and nothing else, for the test of what the product brings along.

import Daybook

print(DaybookStore.self)
