// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Transposes a matrix through local memory.

/*
 * to[c][r] = from[r][c]: a matrix of `rows` by `columns` becomes a matrix of `columns` by
 * `to_leading`. In each row of the result, the elements from `rows` on are 0.
 *
 * Preconditions: groups of TILE by GROUP_ROWS work-items, where TILE is a multiple of
 * GROUP_ROWS; TILE * (TILE + 1) elements of local memory; groups that cover to_leading by
 * columns. ELEMENT is an unsigned type of the same size as an element, because elements
 * are moved and not converted.
 */

#ifndef ELEMENT
#define ELEMENT uint
#endif
#ifndef TILE
#define TILE 16
#endif
#ifndef GROUP_ROWS
#define GROUP_ROWS 4
#endif

__kernel __attribute__((reqd_work_group_size(TILE, GROUP_ROWS, 1))) void
transpose(__global const ELEMENT* from,
          uint from_offset,
          uint from_leading,
          uint rows,
          uint columns,
          __global ELEMENT* to,
          uint to_leading)
{
    /* The additional column spreads the reads down a column over all memory banks. */
    __local ELEMENT tile[TILE][TILE + 1];
    const uint x = get_local_id(0);
    const uint first_row = get_group_id(0) * TILE;
    const uint first_column = get_group_id(1) * TILE;
    for (uint y = get_local_id(1); y < TILE; y += GROUP_ROWS) {
        const uint row = first_row + y;
        const uint column = first_column + x;
        ELEMENT value = (ELEMENT)(0);
        if (row < rows && column < columns)
            value = from[from_offset + (size_t)row * from_leading + column];
        tile[y][x] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint y = get_local_id(1); y < TILE; y += GROUP_ROWS) {
        const uint row = first_row + x;
        const uint column = first_column + y;
        if (row < to_leading && column < columns)
            to[(size_t)column * to_leading + row] = tile[x][y];
    }
}
