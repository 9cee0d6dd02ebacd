// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Asks a device for its rules of images, and lays images over matrices.

#include "gemm/ladder/gemm_image.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <vector>

namespace cldsp {

namespace {

cl::ImageFormat format_of(gemm_type type)
{
    const cl_channel_type stored = type == gemm_type::f16 ? CL_HALF_FLOAT : CL_FLOAT;
    return { CL_RGBA, stored };
}

std::size_t pixels(std::size_t columns) { return (columns + 3) / 4; }

bool takes(const context& device, gemm_type type)
{
    const auto wanted = format_of(type);
    std::vector<cl::ImageFormat> formats;
    device.cl_context().getSupportedImageFormats(
        CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, &formats);
    return std::any_of(formats.begin(), formats.end(), [&](const auto& format) {
        return format.image_channel_order == wanted.image_channel_order &&
               format.image_channel_data_type == wanted.image_channel_data_type;
    });
}

//! A property that OpenCL 1.2 does not know; 0 if the device does not know it either.
std::size_t property(const cl::Device& device, cl_device_info name)
{
    cl_uint value = 0;
    if (clGetDeviceInfo(device(), name, sizeof(value), &value, nullptr) != CL_SUCCESS)
        return 0;
    return value;
}

//! OpenCL 2 has such images in its core; version 3 made them an extension again.
bool has_images_over_buffers(const cl::Device& device)
{
    return device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_khr_image2d_from_buffer") !=
               std::string::npos ||
           device.getInfo<CL_DEVICE_VERSION>().rfind("OpenCL 2.", 0) == 0;
}

} // namespace

bool gemm_image_rules::lies_as_image(const gemm_device_matrix& matrix,
                                     std::size_t rows,
                                     std::size_t columns,
                                     std::size_t buffer_bytes) const
{
    const std::size_t element = pixel / 4;
    const std::size_t start = matrix.offset * element;
    const std::size_t pitch = matrix.leading * element;
    // A pixel that belongs to the matrix only in part would read or write the memory
    // between the rows.
    return over_buffers && columns % 4 == 0 && pitch % (pitch_alignment * pixel) == 0 &&
           start % (base_alignment * pixel) == 0 && start % address_alignment == 0 &&
           start + rows * pitch <= buffer_bytes && columns / 4 <= max_width &&
           rows <= max_height;
}

gemm_image_rules
image_rules(const context& device, gemm_type type, const std::string& variant)
{
    const std::string name = "device '" + device.name() + "'";
    if (!device.limits().images)
        throw_invalid(
            "variant", variant, "one without images: " + name + " does not have them");
    if (!takes(device, type))
        throw_invalid("variant",
                      variant,
                      "one without images: " + name + " has none of " +
                          (type == gemm_type::f16 ? "CL_HALF_FLOAT" : "CL_FLOAT"));
    const auto& cl_device = device.cl_device();
    gemm_image_rules rules;
    rules.max_width = cl_device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>();
    rules.max_height = cl_device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
    rules.pixel = 4 * element_size(type);
    if (has_images_over_buffers(cl_device)) {
        rules.pitch_alignment = property(cl_device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR);
        rules.base_alignment = std::max<std::size_t>(
            1, property(cl_device, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT_KHR));
        rules.address_alignment =
            std::max<std::size_t>(1, device.limits().base_address_alignment);
        // A device without the feature answers 0.
        rules.over_buffers = rules.pitch_alignment > 0;
    }
    return rules;
}

std::optional<cl::Image2D> image_over(const context& device,
                                      const gemm_image_rules& rules,
                                      gemm_type type,
                                      const gemm_device_matrix& matrix,
                                      std::size_t rows,
                                      std::size_t columns)
{
    if (!rules.over_buffers ||
        !rules.lies_as_image(matrix, rows, columns, matrix.buffer.getInfo<CL_MEM_SIZE>()))
        return std::nullopt;
    device.check_injected(injected_call::allocate);
    try {
        cl::Buffer part = matrix.buffer;
        const std::size_t element = element_size(type);
        if (matrix.offset > 0) {
            cl_buffer_region region = { matrix.offset * element,
                                        rows * matrix.leading * element };
            replace(part, part.createSubBuffer(0, CL_BUFFER_CREATE_TYPE_REGION, &region));
        }
        const auto format = format_of(type);
        cl_image_desc description = {};
        description.image_type = CL_MEM_OBJECT_IMAGE2D;
        description.image_width = columns / 4;
        description.image_height = rows;
        description.image_row_pitch = matrix.leading * element;
        description.buffer = part();
        cl_int error = CL_SUCCESS;
        const cl_mem image = clCreateImage(
            device.cl_context()(), 0, &format, &description, nullptr, &error);
        if (error == CL_SUCCESS)
            return cl::Image2D(image);
    } catch (const cl::Error&) {
        // OpenCL refuses, for example, a sub-buffer of a sub-buffer. The caller copies
        // instead.
    }
    return std::nullopt;
}

const cl::Image2D& gemm_image_space::grow(const context& device,
                                          const gemm_image_rules& rules,
                                          gemm_type type,
                                          std::size_t rows,
                                          std::size_t columns,
                                          const std::string& what)
{
    const auto size = [](std::size_t width, std::size_t height) {
        return std::to_string(width) + " x " + std::to_string(height) + " pixels";
    };
    const std::size_t width = pixels(columns);
    if (width > rules.max_width || rows > rules.max_height)
        throw_invalid("the image of " + what,
                      size(width, rows),
                      "at most " + size(rules.max_width, rules.max_height) +
                          " of four elements on device '" + device.name() + "'");
    const std::size_t new_width = std::max(width, d_width);
    const std::size_t new_height = std::max(rows, d_height);
    if (new_width > d_width || new_height > d_height) {
        const std::size_t most = device.limits().max_buffer;
        // The image gets the larger width and the larger height, if both fit; otherwise
        // only the size that is needed now.
        const bool both = new_width * new_height * rules.pixel <= most;
        const std::size_t w = both ? new_width : width, h = both ? new_height : rows;
        if (w * h * rules.pixel > most)
            throw_invalid("the bytes of the image of " + what,
                          std::to_string(w * h * rules.pixel),
                          "at most " + std::to_string(most) + " on device '" +
                              device.name() + "'");
        d_image.drop();
        d_width = d_height = 0;
        device.check_injected(injected_call::allocate);
        d_image.hold(
            device,
            cl::Image2D(device.cl_context(), CL_MEM_READ_WRITE, format_of(type), w, h));
        d_width = w;
        d_height = h;
    }
    return d_image.get();
}

} // namespace cldsp
