/* Memory whose accesses go to several devices, of which only the declarations are here: libraries of headers name them.
   The functions fail with CUDA_ERROR_NOT_SUPPORTED, as the attribute CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED says. */
#ifndef SIMTRUN_CUDA_MULTICAST_H
#define SIMTRUN_CUDA_MULTICAST_H

typedef enum { CU_MULTICAST_GRANULARITY_MINIMUM = 0, CU_MULTICAST_GRANULARITY_RECOMMENDED = 1 } CUmulticastGranularity_flags;
typedef struct CUmulticastObjectProp_st {
	unsigned int numDevices;
	size_t size;
	unsigned long long handleTypes;
	unsigned long long flags;
} CUmulticastObjectProp;

#ifndef SIMTRUN_CUDA_TYPES_ONLY
CUresult cuMulticastCreate(CUmemGenericAllocationHandle *object, const CUmulticastObjectProp *prop);
CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle object, CUdevice dev);
CUresult cuMulticastBindMem(CUmemGenericAllocationHandle object, size_t at, CUmemGenericAllocationHandle memory, size_t from, size_t size, unsigned long long flags);
CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle object, size_t at, CUdeviceptr memory, size_t size, unsigned long long flags);
CUresult cuMulticastUnbind(CUmemGenericAllocationHandle object, CUdevice dev, size_t at, size_t size);
CUresult cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop, CUmulticastGranularity_flags option);
#endif

#endif
