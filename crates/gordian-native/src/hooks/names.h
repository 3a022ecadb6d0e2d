/* gcc has hooks for the accesses that a file makes itself, and leaves those of the C library's functions to whoever takes these over. Here
   they get other names, for files with hooks alone: what gcc knows about them, and makes of them, stays as it is. */
#ifndef __ASSEMBLER__
#pragma GCC system_header
#ifdef __cplusplus
extern "C" {
#if __cplusplus >= 201103L
#define GORDIAN_NO_THROW noexcept(true)
#else
#define GORDIAN_NO_THROW throw()
#endif
#else
#define GORDIAN_NO_THROW
#endif
void *memcpy(void *, const void *, __SIZE_TYPE__) GORDIAN_NO_THROW __asm__("__tsan_memcpy");
void *memmove(void *, const void *, __SIZE_TYPE__) GORDIAN_NO_THROW __asm__("__tsan_memmove");
void *memset(void *, int, __SIZE_TYPE__) GORDIAN_NO_THROW __asm__("__tsan_memset");
int memcmp(const void *, const void *, __SIZE_TYPE__) GORDIAN_NO_THROW __asm__("__gordian_memcmp");
__SIZE_TYPE__ strlen(const char *) GORDIAN_NO_THROW __asm__("__gordian_strlen");
char *strcpy(char *, const char *) GORDIAN_NO_THROW __asm__("__gordian_strcpy");
char *strcat(char *, const char *) GORDIAN_NO_THROW __asm__("__gordian_strcat");
int strcmp(const char *, const char *) GORDIAN_NO_THROW __asm__("__gordian_strcmp");
#undef GORDIAN_NO_THROW
#ifdef __cplusplus
}
#endif
#endif
