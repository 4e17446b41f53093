/* What a texture or surface object points to in the device's memory. Texels are read by code (simtrun/textures.h), not by instructions. */
#ifndef SIMTRUN_TEXTURE_OBJECT_H
#define SIMTRUN_TEXTURE_OBJECT_H

struct simtrun_texture {
	void *data;
	unsigned long long pitch;             /* bytes of a row */
	unsigned long long slice;             /* bytes of a layer, or of a plane in three dimensions */
	unsigned int width, height, depth;    /* 1 for dimensions that it does not have */
	unsigned int channels, bits, kind;    /* of a texel: 1, 2 or 4 of so many bits, an enum cudaChannelFormatKind */
	unsigned int address[3];              /* enum cudaTextureAddressMode */
	unsigned int linear, normalizedRead, normalizedCoordinates;
	float border[4];
};

#endif
