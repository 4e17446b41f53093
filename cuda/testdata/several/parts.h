// What the files call of each other.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int first(void);
int second(void);
int plain(void);
#ifdef __cplusplus
}
#endif
