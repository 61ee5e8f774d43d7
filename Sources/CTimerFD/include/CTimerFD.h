#ifndef CTIMERFD_H
#define CTIMERFD_H
#endif
