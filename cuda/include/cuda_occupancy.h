/* Thrust includes this header and uses nothing of it. The functions of the toolkit's header of this name (cudaOcc...) are not there: the
   runtime API answers questions about occupancy, as by cudaOccupancyMaxActiveBlocksPerMultiprocessor. */
