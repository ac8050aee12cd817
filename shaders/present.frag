#version 450 core

// From the film (sum of radiance, number of samples) to the screen. The same formula as
// renderer/image, so that a saved picture is what was seen.
//
// Compiled twice: with WITH_PREVIOUS while the film under way has gaps, which the film before it
// fills; without it afterwards, because a second texture costs time where OpenGL runs on the CPU.

uniform sampler2D film;
uniform sampler2D previous;  // the film before the last reset
uniform bool ready;          // the film has enough to replace the previous one
uniform float exposure;      // the scene's times 2^stops
uniform float offset;
uniform float gamma;
uniform int toneMapper;      // 0 none, 1 reinhard, 2 filmic

in vec2 place;
out vec4 color;

// Reinhard et al. 2002, on the luminance (Rec. 709 primaries).
vec3 reinhard(vec3 x) {
    return x / (1.0 + dot(x, vec3(0.2126, 0.7152, 0.0722)));
}

// Narkowicz 2015, "ACES Filmic Tone Mapping Curve".
vec3 filmic(vec3 x) {
    return (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14);
}

void main() {
#ifdef WITH_PREVIOUS
    vec4 sum = ready ? texture(film, place) : vec4(0.0);
    if (sum.a <= 0.0) sum = texture(previous, place);
#else
    vec4 sum = texture(film, place);
#endif
    vec3 x = exposure * sum.rgb / max(sum.a, 1e-6);
    if (toneMapper == 1) x = reinhard(x);
    if (toneMapper == 2) x = filmic(x);
    vec3 value = pow(clamp(offset + x, 0.0, 1.0), vec3(1.0 / gamma));
    // What is not a number is black.
    color = vec4(mix(value, vec3(0.0), isnan(x)), 1.0);
}
