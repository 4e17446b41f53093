/* clang includes it where functions that match values across a warp would be: see simtrun/warp.h. */
