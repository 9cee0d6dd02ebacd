// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The C interface of the library: filter banks, matrix products and correlators.

#ifndef INCLUDED_CLDSP_H
#define INCLUDED_CLDSP_H

/*!
 * \file
 * The C interface of libcldsp: narrow channels out of a wide stream, matrix products and
 * correlations, on whatever computes fastest on the machine. C++ programs may use
 * cldsp/cldsp.hpp, whose classes call the functions of this file.
 *
 * **Handles.** Objects are opaque, made by a function `..._new()` and freed by exactly
 * one function `..._free()`, which takes a null pointer as well. Anything else to which
 * the library returns a pointer belongs to a handle, and is never freed by the caller.
 *
 * **Errors.** Functions that can fail return a cldsp_status. After a failure nothing has
 * changed, unless a function says otherwise, and cldsp_last_error() returns a message for
 * people. A bad argument's message names the parameter, its value and the permitted
 * range. No C++ exception leaves the library.
 *
 * **Threads.** A handle may be used by one thread at a time. Different threads may use
 * different handles at the same time, and any number of threads may use a cldsp_context.
 * If two threads use a handle at the same time, one of them gets #CLDSP_WRONG_STATE.
 * pthread_cancel() ends a thread only after the call that it is in. The
 * functions `..._free()` do not notice that another thread still uses the handle, and
 * must not be called then.
 *
 * **Processes.** A program may call exit() while handles exist. After fork() the child of
 * a process that has used the library gets #CLDSP_WRONG_STATE from every function that
 * could wait for a thread or a device, because those stay with the parent. It can call
 * exec().
 *
 * **Structures.** A structure that a caller fills in has a function `..._defaults()`,
 * which also sets its field `size`. A later version of the library adds fields at the end
 * only, and takes the structures of older programs. A program runs with the version of
 * the library that it was compiled with, or a newer one of the same SONAME.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#include <complex>
typedef std::complex<float> cldsp_complex;
#else
/*! A complex number: real part, imaginary part. */
typedef float _Complex cldsp_complex;
#endif

#if defined(__GNUC__)
/*! Marks the functions of the library. */
#define CLDSP_EXPORT __attribute__((visibility("default")))
#else
#define CLDSP_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*! The outcome of a call. */
typedef enum cldsp_status {
    CLDSP_OK = 0,
    CLDSP_INVALID_ARGUMENT = 1, /*!< the caller's mistake; the message names the range */
    CLDSP_WRONG_STATE = 2,  /*!< not permitted now: see **Threads** and **Processes** */
    CLDSP_DEVICE_ERROR = 3, /*!< a call of OpenCL failed */
    CLDSP_OUT_OF_MEMORY = 4,
    CLDSP_FAILED = 5 /*!< anything else that the system refused, e.g. a thread */
} cldsp_status;

/*! The version of the library that runs, e.g. "0.1.0". */
CLDSP_EXPORT const char* cldsp_version(void);

/*!
 * The message of the last call in this thread that failed; empty if none has. A call that
 * succeeds does not change it. The text is valid until the thread's next failure.
 */
CLDSP_EXPORT const char* cldsp_last_error(void);

/***********************************************************************
 * Context
 **********************************************************************/

/*!
 * The state that handles share: the connections to devices, compiled kernels and
 * measurements. Every function that takes a context takes a null pointer as well, for the
 * process's default context, which has default options and is never freed. Handles keep
 * their context alive, so that it may be freed before them.
 */
typedef struct cldsp_context cldsp_context;

/*! How important a message of the log is. */
typedef enum cldsp_log_level {
    CLDSP_LOG_DEBUG = 0,
    CLDSP_LOG_INFO = 1, /*!< for users, e.g. that a bank has moved to another device */
    CLDSP_LOG_WARNING = 2,
    CLDSP_LOG_ERROR = 3 /*!< e.g. a device that failed, so that the host computes */
} cldsp_log_level;

/*! The settings of a context. */
typedef struct cldsp_context_config {
    size_t size; /*!< of this structure; set by cldsp_context_defaults() */
    /*! Receives the messages of all handles of the context, from any thread; null: there
     * is no log. It must not call the library. It is not called any more once the context
     * and all of its handles are freed: the last of these calls waits for it. */
    void (*log)(void* user, cldsp_log_level level, const char* message);
    void* user; /*!< passed to log */
    /*! The folder of compiled kernels and measurements; null: gr-cldsp in the user's
     * cache folder, which GNU Radio's blocks and the command cldsp use as well. Nothing
     * is written there once the context and all of its handles are freed. */
    const char* cache_folder;
    int no_files; /*!< not 0: nothing is read from the cache folder or written to it */
    /*! The largest number of commands that a device may have in flight; 0: no limit. With
     * few, a GPU that draws the desktop stays responsive. */
    size_t queue_window;
    /*! The time that one kernel should take at most, in seconds; 0: no limit. */
    double longest_kernel;
    /*! How OpenCL's drivers are loaded, of which one that fails may end the process.
     * "prove", or null: once they have proved themselves in another process, which the
     * library starts where a verdict is missing. "named": no process is started; a driver
     * is loaded for a device that is named, "auto" is the host, and it alone is listed.
     * "trust": without any proof. */
    const char* drivers;
} cldsp_context_config;

/*! The settings of the default context. */
static inline cldsp_context_config cldsp_context_defaults(void)
{
    cldsp_context_config config;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    return config;
}

/*!
 * Makes a context.
 *
 * \param config its settings; null: the defaults
 * \param context becomes the context; null after a failure
 */
CLDSP_EXPORT cldsp_status cldsp_context_new(const cldsp_context_config* config,
                                            cldsp_context** context);
/*! Frees a context, once the last handle that uses it is freed as well. */
CLDSP_EXPORT void cldsp_context_free(cldsp_context* context);

/*! Locks or unlocks a lock. */
typedef void (*cldsp_lock_function)(void* lock);

/*!
 * Guards FFTW's planner with this lock from now on, in the whole process. It is for
 * programs in which other code plans with FFTW (in single precision) and has a lock for
 * it: FFTW has one planner per process, which is not thread-safe. Call this before the
 * first bank is made. Programs that also use GNU Radio's blocks leave it to them, or pass
 * gr::fft::planner::mutex(), as the blocks do.
 *
 * \param lock a lock that exists until the process ends; no thread may hold it while it
 * calls the library
 * \param acquire,release the functions that lock and unlock it
 * \return #CLDSP_INVALID_ARGUMENT for a null pointer, or if another lock was passed
 * before
 */
CLDSP_EXPORT cldsp_status cldsp_share_fftw_planner(void* lock,
                                                   cldsp_lock_function acquire,
                                                   cldsp_lock_function release);

/***********************************************************************
 * Devices
 **********************************************************************/

/*! A list of devices. */
typedef struct cldsp_devices cldsp_devices;

/*! One device. The texts belong to the list. */
typedef struct cldsp_device {
    const char* id;   /*!< "P:D", or "host": see the field device of configurations */
    const char* name; /*!< OpenCL's name, or "host" */
    const char* kind; /*!< "host", "cpu", "gpu" or "accelerator" */
    const char* platform;
    const char* vendor;
    const char* version; /*!< e.g. "OpenCL 3.0" */
    const char* driver_version;
    size_t compute_units;
    size_t max_buffer; /*!< the largest buffer in bytes; 0 for the host */
} cldsp_device;

/*!
 * Lists the OpenCL devices of the machine, and the host as the last entry. It is the only
 * entry if there is no driver, or none that is good; the log of \p context gets the
 * reason. The call waits for drivers that have to prove themselves.
 */
CLDSP_EXPORT cldsp_status cldsp_devices_new(cldsp_context* context,
                                            cldsp_devices** devices);
/*! The number of devices; 0 for a null pointer. */
CLDSP_EXPORT size_t cldsp_devices_count(const cldsp_devices* devices);
/*! The device at \p index; null if there is none. */
CLDSP_EXPORT const cldsp_device* cldsp_devices_at(const cldsp_devices* devices,
                                                  size_t index);
CLDSP_EXPORT void cldsp_devices_free(cldsp_devices* devices);

/***********************************************************************
 * Plan
 **********************************************************************/

/*! The device and the algorithm that compute, and the reason. The texts belong to the
 * handle. */
typedef struct cldsp_plan {
    const char* device;      /*!< id of the device; several have commas between them */
    const char* device_name; /*!< OpenCL's name of the device, or "host" */
    const char* algorithm;   /*!< "direct" or "fast_convolution"; "gemm" */
    const char* variant;     /*!< e.g. "simd", "polyphase" */
    const char* transfer;    /*!< "copy", "mapped", "zero_copy", or "none" on the host */
    const char* text;        /*!< the whole plan in one line, for people */
    size_t block_size;       /*!< of fast convolution; 0: there are no blocks */
    /*! Predicted and measured rates, in input items per second for banks, in operations
     * per second for products; 0: there is none. */
    double predicted;
    double measured;
    int remembered; /*!< not 0: the plan comes from an earlier measurement */
    int fell_back;  /*!< not 0: a device has failed, and the host computes instead, or the
                         other devices */
    int provisional; /*!< not 0: the host computes at once, and a better plan may follow
                      */
} cldsp_plan;

/***********************************************************************
 * Filter bank
 **********************************************************************/

/*! The type of an input stream's items. Outputs are always cldsp_complex. */
typedef enum cldsp_sample_type {
    CLDSP_FC32 = 0, /*!< complex float */
    CLDSP_F32 = 1,  /*!< real float */
    CLDSP_S16 = 2,  /*!< real 16-bit integer v, as the number v */
    CLDSP_CU8 = 3,  /*!< IQ pair of unsigned bytes, (v - 127.5) / 127.5 */
    CLDSP_CS8 = 4,  /*!< IQ pair of signed bytes, v / 128 */
    CLDSP_CS16 = 5, /*!< IQ pair of 16-bit integers, v / 32768 */
    CLDSP_S8 = 6,   /*!< real signed byte v, as the number v */
    CLDSP_CS12 = 7  /*!< IQ pair of 12-bit integers, packed into three bytes, v / 2048 */
} cldsp_sample_type;

/*! Bytes of one item of a cldsp_sample_type; 0 for any other number. */
CLDSP_EXPORT size_t cldsp_item_size(int sample_type);

/*! The taps of a low pass filter at 0 Hz, e.g. those of cldsp_low_pass_taps(): exactly
 * one of the pointers is set. */
typedef struct cldsp_taps {
    const float* real_taps;            /*!< count taps, or null */
    const cldsp_complex* complex_taps; /*!< count taps, or null */
    size_t count;                      /*!< 1 or more */
} cldsp_taps;

/*! A low pass filter that the library has designed. */
typedef struct cldsp_low_pass cldsp_low_pass;

/*!
 * Designs a low pass filter. Its taps are real, symmetric and odd in number, and their
 * sum is 1. From \p stop_freq on the gain is at most g = 10^(-attenuation / 20), and up
 * to \p pass_freq it differs from 1 by at most 2 g. The filter has about
 * (attenuation - 8) / 14.4 * sampling_freq / (stop_freq - pass_freq) taps, and delays the
 * stream by half of them.
 *
 * A channel has the bandwidth 2 pass_freq. If \p stop_freq is half of the channel's
 * output rate, signals outside of the channel fold into it at most at the gain g.
 *
 * This is the window method with Kaiser's window and his formulas (J. F. Kaiser,
 * "Nonrecursive digital filter design using the I0-sinh window function", IEEE
 * International Symposium on Circuits and Systems, 1974). The formula for the length is
 * approximate. So the response is checked, and the filter made longer until the response
 * is as described.
 *
 * \param sampling_freq the rate of the stream in Hz, above 0 and finite
 * \param pass_freq the end of the passband in Hz, above 0
 * \param stop_freq the begin of the stopband in Hz, above \p pass_freq and at most half
 * of \p sampling_freq. A transition so narrow that it takes more than 4194304 taps is
 * #CLDSP_INVALID_ARGUMENT; the message names the narrowest one
 * \param attenuation of the stopband in dB, 20 to 120
 * \param low_pass becomes the filter; null after a failure
 */
CLDSP_EXPORT cldsp_status cldsp_low_pass_new(double sampling_freq,
                                             double pass_freq,
                                             double stop_freq,
                                             double attenuation,
                                             cldsp_low_pass** low_pass);
/*! The number of taps and the real taps, which belong to the filter; null for a null
 * pointer. */
CLDSP_EXPORT const cldsp_taps* cldsp_low_pass_taps(const cldsp_low_pass* low_pass);
CLDSP_EXPORT void cldsp_low_pass_free(cldsp_low_pass* low_pass);

/*!
 * The rate of a channel's outputs: interpolation / decimation outputs per input item, at
 * most 0.9, or 1. A decimation by D is { 1, D }.
 */
typedef struct cldsp_rate {
    size_t interpolation; /*!< 1 to 4096 */
    size_t decimation;    /*!< 1 to 2^24 */
} cldsp_rate;

/*! The channels of a bank, and what may compute them. Everything is copied. */
typedef struct cldsp_filter_bank_config {
    size_t size; /*!< of this structure; set by cldsp_filter_bank_defaults() */

    int input;            /*!< a cldsp_sample_type */
    double sampling_freq; /*!< of the input in Hz, above 0 */
    /*! Every channel gives one output per this number of items, 1 to 2^24. Not used if
     * there are rates. */
    size_t decimation;
    const cldsp_rate*
        rates;         /*!< the rate of each slot, or one for all; null: decimation */
    size_t rate_count; /*!< 0, 1, or the number of slots */
    /*! The centre frequency of each channel in Hz, any finite value. */
    const double* center_freqs;
    size_t channels; /*!< 1 or more */
    /*! The number of slots for channels, so that channels can be added later: 0 for one
     * slot per channel, or channels to 65536. */
    size_t max_channels;
    const cldsp_taps* taps; /*!< of all channels, or of each channel */
    size_t tap_lists;       /*!< 1, or the number of channels */
    /*! The largest number of taps that a channel may get later, at most 2^24; 0: that of
     * the longest channel. */
    size_t max_taps;

    /*! "auto", "host", "gpu", "cpu", "P:D", a part of a name, "gpus", or a list such as
     * "0:0,1:0" of devices that share the channels. Null: "auto", which measures. */
    const char* device;
    const char* algorithm; /*!< "direct" or "fast_convolution"; null: "auto" */
    const char* variant;   /*!< as `cldsp bench` names it; null: "auto" */
    /*! The largest error that fast convolution may make in the frequency response,
     * relative to the largest gain: 0 to 0.1. At 0 only rounding makes errors. */
    double accuracy;
    /*! The threads that a call on the host may use, 1 to 1024; 0: one for each core. */
    unsigned threads;
    size_t
        typical_items; /*!< of a call of process(), for which "auto" measures; 0: 8192 */
    /*! "auto": the host computes from the first call on, while the library measures what
     * is faster in the background; the stream moves there between two calls, exactly.
     * "wait": cldsp_filter_bank_new() measures. Null: "auto". */
    const char* plan;
} cldsp_filter_bank_config;

/*! A configuration without channels, taps and rates, for #CLDSP_FC32. */
static inline cldsp_filter_bank_config cldsp_filter_bank_defaults(void)
{
    cldsp_filter_bank_config config;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.sampling_freq = 1;
    config.decimation = 1;
    config.accuracy = 1e-5;
    return config;
}

/*!
 * Channels of one input stream, each moved to 0 Hz, filtered and decimated. With x = 0
 * before the stream, output m of a channel at frequency f with taps h and decimation D is
 *
 *     y[m] = sum_k h[k] x[m D - k] exp(-j 2 pi f (m D - k) / sampling_freq)
 *
 * K items give floor(K / D) outputs. The stream may be cut into calls anywhere. If a
 * device fails, the host continues at the same sample, and the log gets the reason.
 */
typedef struct cldsp_filter_bank cldsp_filter_bank;

/*!
 * Makes a bank, at once. Its first plan is the host's; what computes fastest is measured
 * in the background, and remembered in the cache folder. With the plan "wait" this
 * function measures, for up to about two seconds at the first time, or up to a minute for
 * tens of thousands of slots or billions of typical items.
 *
 * \param context see cldsp_context
 * \param config the channels
 * \param bank becomes the bank; null after a failure
 */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_new(cldsp_context* context,
                                                const cldsp_filter_bank_config* config,
                                                cldsp_filter_bank** bank);
CLDSP_EXPORT void cldsp_filter_bank_free(cldsp_filter_bank* bank);

/*!
 * Filters the next items of the stream. All of them are consumed: the bank keeps what
 * later outputs need.
 *
 * \param bank the bank
 * \param in items of the bank's sample type
 * \param items the number of items, 0 to 2^40
 * \param out for each slot the memory of its outputs; null: the channel has none in this
 * call. Those of idle channels and of free slots become zeros
 * \param room the number of outputs for which there is memory in each of \p out, at least
 * cldsp_filter_bank_max_outputs()
 * \param outputs becomes the number of outputs of each slot, with those of idle channels,
 * of free slots and of channels without memory
 */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_process(cldsp_filter_bank* bank,
                                                    const void* in,
                                                    size_t items,
                                                    cldsp_complex* const* out,
                                                    size_t room,
                                                    size_t* outputs);
/*! The largest number of outputs that a channel can have in a call of \p items items,
 * wherever the stream is. */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_max_outputs(cldsp_filter_bank* bank,
                                                        size_t items,
                                                        size_t* outputs);
/*! The number of slots, which is the length of the lists of cldsp_filter_bank_process().
 */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_slots(cldsp_filter_bank* bank, size_t* slots);

/*! Retunes a channel. It takes effect at the next output, and the phase continues. */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_set_center_freq(cldsp_filter_bank* bank,
                                                            size_t channel,
                                                            double center_freq);
/*! A point of a schedule: from item \p sample of the stream on, the frequency at item n
 * is hz + hz_per_second (n - sample) / sampling_freq, until the next point. */
typedef struct cldsp_frequency_point {
    int64_t sample; /*!< counted since the stream began, 0 to 2^62 */
    double hz;      /*!< any finite value, as the next one */
    double hz_per_second;
} cldsp_frequency_point;

/*!
 * Makes a channel's frequency a function of time, exact to the item, such as a
 * satellite's Doppler shift. The phase is the integral of the frequency, and never jumps.
 * cldsp_filter_bank_set_center_freq() ends a schedule.
 *
 * \param bank the bank
 * \param channel the slot of the channel
 * \param points with samples that rise. They replace earlier ones from the first point
 * on. A point before the next output takes effect there, with the frequency that it gives
 * for it
 * \param count the number of points; 0: the frequency stays constant from now on
 */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_schedule(cldsp_filter_bank* bank,
                                                     size_t channel,
                                                     const cldsp_frequency_point* points,
                                                     size_t count);
/*!
 * Sets new taps, which take effect at the next output.
 *
 * \param bank the bank
 * \param taps one list for all slots, or one for each
 * \param tap_lists 1, or the number of slots
 */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_set_taps(cldsp_filter_bank* bank,
                                                     const cldsp_taps* taps,
                                                     size_t tap_lists);
/*! Makes a channel idle (0) or active. An idle channel costs nothing; one that is active
 * again has the outputs that it would have had without the pause. */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_set_active(cldsp_filter_bank* bank,
                                                       size_t channel,
                                                       int active);
/*!
 * Adds a channel in the first free slot. Its outputs are those that it would have had if
 * it had been there since the stream began.
 *
 * \param bank the bank
 * \param taps its taps
 * \param center_freq its frequency in Hz
 * \param rate its rate, which has to be that of a free slot; null: any
 * \param channel becomes its slot
 */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_add_channel(cldsp_filter_bank* bank,
                                                        const cldsp_taps* taps,
                                                        double center_freq,
                                                        const cldsp_rate* rate,
                                                        size_t* channel);
/*! Removes a channel, whose slot is free then. */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_remove_channel(cldsp_filter_bank* bank,
                                                           size_t channel);
/*! Begins a new stream. Channels, taps and frequencies stay. */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_reset(cldsp_filter_bank* bank);
/*! The plan, which is valid until the bank is freed. If a better plan follows, or a
 * device fails, a later call gives another one. */
CLDSP_EXPORT cldsp_status cldsp_filter_bank_plan(cldsp_filter_bank* bank,
                                                 const cldsp_plan** plan);

/***********************************************************************
 * Matrix product
 **********************************************************************/

/*! The type of the elements of the matrices. */
typedef enum cldsp_matrix_type {
    CLDSP_MATRIX_F32 = 0, /*!< float */
    CLDSP_MATRIX_C32 = 1, /*!< cldsp_complex */
    CLDSP_MATRIX_F16 = 2, /*!< half precision in memory (uint16_t), summed up in float */
    /*! A and B: int8_t; C: int32_t, the exact sums. k is at most 131071, and alpha and
     * beta are 0 or 1. With a beta of 1 the sum of C and the product wraps around at 32
     * bits. */
    CLDSP_MATRIX_S8 = 3
} cldsp_matrix_type;

/*! A product, and what may compute it. */
typedef struct cldsp_matrix_product_config {
    size_t size; /*!< of this structure; set by cldsp_matrix_product_defaults() */
    int type;    /*!< a cldsp_matrix_type */
    size_t m;    /*!< rows of A and C in a typical call, for which "auto" chooses */
    size_t n;    /*!< columns of B and C in a typical call */
    size_t k;    /*!< columns of A and rows of B in a typical call */
    int holds_b; /*!< not 0: calls will use cldsp_matrix_product_hold_b() */
    const char* device;  /*!< see cldsp_filter_bank_config */
    const char* variant; /*!< null: "auto" */
    /*! The least precise arithmetic of floats that is permitted: "exact", "tf32" or
     * "half"; null: "exact". The matrix units of NVIDIA GPUs use it, all else stays
     * exact. */
    const char* precision;
    const char* plan; /*!< "auto" or "wait", see cldsp_filter_bank_config; null: "auto" */
} cldsp_matrix_product_config;

/*! A configuration for products of floats without sizes. */
static inline cldsp_matrix_product_config cldsp_matrix_product_defaults(void)
{
    cldsp_matrix_product_config config;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    return config;
}

/*!
 * The general matrix product C = alpha A B + beta C for A of m by k, B of k by n and C of
 * m by n elements. Matrices are stored row by row: element (i, j) is at i * leading + j.
 * As in BLAS, C is not read if beta is 0.
 */
typedef struct cldsp_matrix_product cldsp_matrix_product;

/*! Makes a product. \see cldsp_filter_bank_new() */
CLDSP_EXPORT cldsp_status
cldsp_matrix_product_new(cldsp_context* context,
                         const cldsp_matrix_product_config* config,
                         cldsp_matrix_product** product);
CLDSP_EXPORT void cldsp_matrix_product_free(cldsp_matrix_product* product);

/*!
 * Multiplies, and returns when C is complete.
 *
 * \param product the product
 * \param m,n,k the sizes, 1 or more
 * \param alpha the factor of A B; null: 1
 * \param a,a_leading the matrix A, and the elements from row to row, at least k
 * \param b,b_leading the matrix B, and the elements from row to row, at least n
 * \param beta the factor of C; null: 0
 * \param c,c_leading the matrix C, and the elements from row to row, at least n
 */
CLDSP_EXPORT cldsp_status cldsp_matrix_product_multiply(cldsp_matrix_product* product,
                                                        size_t m,
                                                        size_t n,
                                                        size_t k,
                                                        const cldsp_complex* alpha,
                                                        const void* a,
                                                        size_t a_leading,
                                                        const void* b,
                                                        size_t b_leading,
                                                        const cldsp_complex* beta,
                                                        void* c,
                                                        size_t c_leading);
/*! Stores a copy of B, in the form that suits the device, for calls of
 * cldsp_matrix_product_multiply_held(). */
CLDSP_EXPORT cldsp_status cldsp_matrix_product_hold_b(
    cldsp_matrix_product* product, size_t k, size_t n, const void* b, size_t b_leading);
/*! As cldsp_matrix_product_multiply(), with the B that is stored. \return
 * #CLDSP_WRONG_STATE if there is none */
CLDSP_EXPORT cldsp_status
cldsp_matrix_product_multiply_held(cldsp_matrix_product* product,
                                   size_t m,
                                   const cldsp_complex* alpha,
                                   const void* a,
                                   size_t a_leading,
                                   const cldsp_complex* beta,
                                   void* c,
                                   size_t c_leading);
/*! The plan; see cldsp_filter_bank_plan(). */
CLDSP_EXPORT cldsp_status cldsp_matrix_product_plan(cldsp_matrix_product* product,
                                                    const cldsp_plan** plan);

/***********************************************************************
 * Correlator
 **********************************************************************/

/*! A correlator, and what may compute it. */
typedef struct cldsp_correlator_config {
    size_t size;            /*!< of this structure; set by cldsp_correlator_defaults() */
    int input;              /*!< #CLDSP_FC32 or #CLDSP_CS8 */
    size_t antennas;        /*!< 1 to 4096 */
    uint64_t integration;   /*!< samples of an integration, 1 to 10^11 */
    size_t typical_samples; /*!< of each antenna in a call, for which "auto" chooses;
                                 0: 8192 */
    const char* device;     /*!< see cldsp_filter_bank_config */
    const char* variant;    /*!< null: "auto" */
    const char* plan; /*!< "auto" or "wait", see cldsp_filter_bank_config; null: "auto" */
} cldsp_correlator_config;

/*! A configuration for one antenna of #CLDSP_FC32 and integrations of one sample. */
static inline cldsp_correlator_config cldsp_correlator_defaults(void)
{
    cldsp_correlator_config config;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.antennas = 1;
    config.integration = 1;
    return config;
}

/*!
 * The products of each pair of antennas, summed over the samples of an integration: the X
 * of an FX correlator. Visibility (i, j), for antennas i >= j counted from 0, is the sum
 * of x_i[t] conj(x_j[t]), and element i (i + 1) / 2 + j of the antennas (antennas + 1) /
 * 2 visibilities of an integration. The stream may be cut into calls anywhere. If a
 * device fails, the host continues at the same sample, and the log gets the reason.
 */
typedef struct cldsp_correlator cldsp_correlator;

/*! Makes a correlator. A better plan takes over with a call that begins an integration.
 * \see cldsp_filter_bank_new() */
CLDSP_EXPORT cldsp_status cldsp_correlator_new(cldsp_context* context,
                                               const cldsp_correlator_config* config,
                                               cldsp_correlator** correlator);
CLDSP_EXPORT void cldsp_correlator_free(cldsp_correlator* correlator);

/*!
 * Takes the next samples of each antenna, all of them.
 *
 * \param correlator the correlator
 * \param first for each antenna the address of its first sample
 * \param step the distance from one sample of an antenna to its next, in samples: 1 if
 * each antenna has memory of its own, the number of antennas if the samples of one moment
 * lie together
 * \param samples the number of samples of each antenna, 0 to 2^40
 * \param out gets the visibilities of each integration that ends
 * \param room the number of integrations for which there is memory, at least
 * cldsp_correlator_outputs()
 * \param outputs becomes the number of integrations that have ended
 */
CLDSP_EXPORT cldsp_status cldsp_correlator_process(cldsp_correlator* correlator,
                                                   const void* const* first,
                                                   size_t step,
                                                   size_t samples,
                                                   cldsp_complex* out,
                                                   size_t room,
                                                   size_t* outputs);
/*! The number of integrations that end with the next \p samples samples. */
CLDSP_EXPORT cldsp_status cldsp_correlator_outputs(cldsp_correlator* correlator,
                                                   size_t samples,
                                                   size_t* outputs);
/*! Drops the samples of an integration that has not ended. The next sample begins a new
 * one. */
CLDSP_EXPORT cldsp_status cldsp_correlator_reset(cldsp_correlator* correlator);
/*! The plan; see cldsp_filter_bank_plan(). */
CLDSP_EXPORT cldsp_status cldsp_correlator_plan(cldsp_correlator* correlator,
                                                const cldsp_plan** plan);

#ifdef __cplusplus
}
#endif

#endif /* INCLUDED_CLDSP_H */
