// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Builds the programs of collect_programs.cc on the first OpenCL device, and times it.

// Arguments: the files FAMILY@GROUP.NUMBER.cl. Those of a family follow each other,
// larger groups first. As in the engine, the first that is refused ends its size, the
// next size is the one that its kernels may have, and none follows as soon as every
// kernel may have its group. Prints a line for each program: family, group, seconds, the
// work-items that the kernels may have, most registers, spills, outcome. With
// V3D_DEBUG=shaderdb, Mesa tells registers and spills.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The seconds that the processors spent, which other programs do not lengthen.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char* text_of(const char* path)
{
    FILE* file = fopen(path, "r");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char* text = calloc(1, (size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size)
        text[0] = 0;
    fclose(file);
    return text;
}

static cl_device_id device;
static cl_context context;
static const char* told = "told-by-mesa";

// The most registers of a kernel and the spills of all, from the lines that Mesa printed.
static void count_registers(int* registers, int* spills)
{
    char line[1000];
    FILE* file = fopen(told, "r");
    *registers = *spills = 0;
    while (file && fgets(line, sizeof line, file)) {
        char* temps = strstr(line, " max-temps");
        if (!temps)
            continue;
        while (temps > line && temps[-1] != ' ')
            temps--;
        const int count = atoi(temps);
        if (count > *registers)
            *registers = count;
        const char* comma = strchr(temps, ',');
        if (comma)
            *spills += atoi(comma + 1);
    }
    if (file)
        fclose(file);
}

// Returns the work-items that every kernel may have, or 0 if each may have its group.
static size_t build(const char* path)
{
    char* text = text_of(path);
    if (!text)
        return 1;
    char options[8192] = "";
    sscanf(text, "//OPTIONS %8191[^\n]", options);

    // What Mesa prints goes to a file.
    fflush(stderr);
    const int terminal = dup(2);
    const int file = open(told, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, 2);
    close(file);
    const double start = now();
    cl_int error = 0;
    const char* source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    int runs = error == CL_SUCCESS;
    size_t least = 0, wanted = 0;
    const char* line = text;
    for (; runs && (line = strstr(line, "//GROUP ")); line++) {
        char name[200];
        size_t group = 0, most = 0;
        if (sscanf(line, "//GROUP %199s %zu", name, &group) != 2)
            break;
        cl_kernel kernel = clCreateKernel(program, name, &error);
        if (error == CL_SUCCESS)
            error = clGetKernelWorkGroupInfo(
                kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
        if (error != CL_SUCCESS || most < group)
            runs = 0;
        if (least == 0 || most < least)
            least = most;
        if (group > wanted)
            wanted = group;
    }
    const double seconds = now() - start;
    dup2(terminal, 2);
    close(terminal);

    int registers, spills;
    count_registers(&registers, &spills);
    const char* name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    printf("%.*s\t%zu\t%.1f\t%zu\t%d\t%d\t",
           (int)strcspn(name, "@"),
           name,
           wanted,
           seconds,
           least,
           registers,
           spills);
    if (error != CL_SUCCESS)
        printf("error %d\n", error);
    else
        printf(runs ? "runs\n" : "refused\n");
    fflush(stdout);
    free(text);
    return runs ? 0 : least > 0 ? least : 1;
}

// The length of FAMILY@GROUP in a path.
static size_t size_of(const char* path)
{
    const char* at = strrchr(path, '@');
    return at ? (size_t)(at - path) + strcspn(at, ".") : strlen(path);
}

static size_t family_of(const char* path)
{
    const char* at = strrchr(path, '@');
    return at ? (size_t)(at - path) : strlen(path);
}

static size_t group_of(const char* path)
{
    const char* at = strrchr(path, '@');
    return at ? (size_t)atoi(at + 1) : 0;
}

int main(int count, char** paths)
{
    cl_platform_id platform;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    if (error == CL_SUCCESS)
        error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (error == CL_SUCCESS)
        context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS) {
        fprintf(stderr, "no OpenCL device: error %d\n", error);
        return 1;
    }
    for (int i = 1; i < count;) {
        // The groups that may follow are at most this large.
        size_t most = (size_t)-1;
        const size_t family = family_of(paths[i]);
        const char* first = paths[i];
        while (i < count && family_of(paths[i]) == family &&
               !strncmp(paths[i], first, family)) {
            const size_t size = size_of(paths[i]), group = group_of(paths[i]);
            const char* same = paths[i];
            size_t may_have = 0;
            for (;
                 i < count && size_of(paths[i]) == size && !strncmp(paths[i], same, size);
                 i++) {
                if (group <= most && !may_have)
                    may_have = build(paths[i]);
            }
            if (group <= most)
                most = may_have;
        }
    }
    return 0;
}
