// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Takes 8 channels out of a stream on the standard input, in C.

/*
 * Takes 8 channels out of complex float items at 1 MS/s on the standard input, and writes
 * them at 20 kS/s into channel0.cf32 to channel7.cf32.
 */

#include <cldsp/cldsp.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { channels = 8, decimation = 50, items = 65536, room = items / decimation + 1 };

static void check(int is_good, const char* what)
{
    if (is_good)
        return;
    const char* error = cldsp_last_error(); /* empty after an error of the system */
    fprintf(stderr, "channelizer: %s: %s\n", what, *error ? error : strerror(errno));
    exit(1);
}

int main(void)
{
    static cldsp_complex in[items], out[channels][room];
    const double freqs[] = { -420e3, -300e3, -180e3, -60e3, 60e3, 180e3, 300e3, 420e3 };
    cldsp_low_pass* low_pass;
    check(cldsp_low_pass_new(1e6, 6e3, 10e3, 60, &low_pass) == CLDSP_OK, "filter");
    cldsp_filter_bank_config config = cldsp_filter_bank_defaults();
    config.sampling_freq = 1e6;
    config.decimation = decimation;
    config.center_freqs = freqs;
    config.channels = channels;
    config.taps = cldsp_low_pass_taps(low_pass);
    config.tap_lists = 1;
    cldsp_filter_bank* bank;
    check(cldsp_filter_bank_new(NULL, &config, &bank) == CLDSP_OK, "bank");
    cldsp_low_pass_free(low_pass);

    char name[] = "channel0.cf32";
    FILE* files[channels];
    cldsp_complex* places[channels];
    for (int c = 0; c < channels; c++, name[7]++) {
        check((files[c] = fopen(name, "wb")) != NULL, name);
        places[c] = out[c];
    }
    size_t count, made[channels];
    while ((count = fread(in, sizeof in[0], items, stdin)) > 0) {
        check(cldsp_filter_bank_process(bank, in, count, places, room, made) == CLDSP_OK,
              "bank");
        for (int c = 0; c < channels; c++)
            check(fwrite(out[c], sizeof in[0], made[c], files[c]) == made[c], "output");
    }
    check(!ferror(stdin), "input");
    for (int c = 0; c < channels; c++)
        check(fclose(files[c]) == 0, "output");
    cldsp_filter_bank_free(bank);
    return 0;
}
