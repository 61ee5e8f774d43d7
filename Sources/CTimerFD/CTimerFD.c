#include "CTimerFD.h"
