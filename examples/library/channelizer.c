/*
 * Copyright 2026 the gr-cldsp authors
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes 8 channels out of complex float items at 1 MS/s on the standard input, and writes
 * them at 20 kS/s into channel0.cf32 to channel7.cf32.
 */

#include <cldsp/cldsp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { channels = 8, decimation = 50, tap_count = 401, items = 65536 };

static void check(cldsp_status status)
{
    if (status == CLDSP_OK)
        return;
    fprintf(stderr, "channelizer: %s\n", cldsp_last_error());
    exit(1);
}

int main(void)
{
    float h[tap_count]; /* a low pass to 8 kHz with a Hamming window, whose gain is 1 */
    for (int k = 0; k < tap_count; k++) {
        const double pi = acos(-1), t = (k - (tap_count - 1) / 2) * 8e3 / 1e6;
        const double window = 0.54 - 0.46 * cos(2 * pi * k / (tap_count - 1));
        h[k] = (float)(2 * 8e3 / 1e6 * window *
                       (t == 0 ? 1 : sin(2 * pi * t) / (2 * pi * t)));
    }
    double frequencies[channels];
    for (int c = 0; c < channels; c++)
        frequencies[c] = -420e3 + 120e3 * c;

    const cldsp_taps taps = { h, NULL, tap_count };
    cldsp_filter_bank_config config = cldsp_filter_bank_defaults();
    config.sampling_freq = 1e6;
    config.decimation = decimation;
    config.center_freqs = frequencies;
    config.channels = channels;
    config.taps = &taps;
    config.tap_lists = 1;
    cldsp_filter_bank* bank;
    check(cldsp_filter_bank_new(NULL, &config, &bank));

    static cldsp_complex in[items], memory[channels][items / decimation + 1];
    cldsp_complex* out[channels];
    FILE* files[channels];
    for (int c = 0; c < channels; c++) {
        char name[] = "channel0.cf32";
        name[7] = (char)('0' + c);
        if (!(files[c] = fopen(name, "wb")))
            return perror(name), 1;
        out[c] = memory[c];
    }
    size_t count, produced[channels];
    while ((count = fread(in, sizeof in[0], items, stdin)) > 0) {
        check(cldsp_filter_bank_process(
            bank, in, count, out, items / decimation + 1, produced));
        for (int c = 0; c < channels; c++)
            if (fwrite(out[c], sizeof in[0], produced[c], files[c]) != produced[c])
                return perror("channelizer"), 1;
    }
    cldsp_filter_bank_free(bank);
    for (int c = 0; c < channels; c++)
        if (fclose(files[c]) != 0)
            return perror("channelizer"), 1;
    return 0;
}
