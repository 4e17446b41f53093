/* Types of functions of the device. */
#ifndef SIMTRUN_DEVICE_TYPES_H
#define SIMTRUN_DEVICE_TYPES_H

#pragma GCC system_header

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#endif
