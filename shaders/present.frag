#version 450 core

// Turns the film (sum of radiance, number of samples) into a picture of the same size, by the formula
// in renderer/film/image.h, so that a saved picture is what was seen.
//
// Compiled four times: with WITH_PREVIOUS while the film has gaps, which are filled from the picture
// before it; without it afterwards, because a second texture costs time if OpenGL runs on the CPU;
// with DIFFERENCE and WITH_PREVIOUS for the difference of two films in false colours; and with MAP
// for a map of numbers in false colours.

uniform sampler2D film;      // as large as the picture
uniform sampler2D previous;  // the picture before the last reset
uniform float previousWidth; // over the film's, both being as high; 1 unless the window was resized
uniform float exposure;      // the scene's times 2^stops
uniform float offset;
uniform float gamma;
uniform int toneMapper;      // 0 none, 1 reinhard, 2 filmic
uniform float fullScale;     // DIFFERENCE: radiance, MAP: number, that has the last colour
uniform vec3 ramp[9];        // renderer/film/false_color.h
#ifdef DIFFERENCE
uniform sampler2D pinned;    // A; the film is B
uniform int withSign;        // 1: blue where A is brighter, red where B is
#endif

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

vec3 falseColor(float x) {
    float step = clamp(x, 0.0, 1.0) * 8.0;
    int low = min(int(step), 7);
    return isnan(x) ? vec3(0.0) : mix(ramp[low], ramp[low + 1], step - float(low));
}

#ifdef DIFFERENCE
// The false colour of the channel that differs most.
vec3 difference(vec4 a, vec4 b) {
    vec3 d = b.rgb / b.a - a.rgb / a.a;
    vec3 size = abs(d);
    float most = size.r > size.g ? d.r : d.g;
    if (size.b > abs(most)) most = d.b;
    return falseColor(withSign == 1 ? 0.5 + 0.5 * most / fullScale : abs(most) / fullScale);
}
#endif

void main() {
    vec4 sum = texelFetch(film, ivec2(gl_FragCoord.xy), 0);
#ifdef MAP
    color = vec4(falseColor(sum.r / fullScale), 1.0);
    return;
#endif
#ifdef DIFFERENCE
    vec4 sumA = texelFetch(pinned, ivec2(gl_FragCoord.xy), 0);
    if (sumA.a > 0.0 && sum.a > 0.0) {
        color = vec4(difference(sumA, sum), 1.0);
        return;
    }
    sum.a = 0.0;
#endif
#ifdef WITH_PREVIOUS
    if (sum.a <= 0.0) {
        float x = 0.5 + (place.x - 0.5) / previousWidth;
        bool known = x >= 0.0 && x <= 1.0;
        color = vec4(known ? texture(previous, vec2(x, place.y)).rgb : vec3(0.0), 1.0);
        return;
    }
#endif
    vec3 x = exposure * sum.rgb / max(sum.a, 1e-6);
    if (toneMapper == 1) x = reinhard(x);
    if (toneMapper == 2) x = filmic(x);
    vec3 value = pow(clamp(offset + x, 0.0, 1.0), vec3(1.0 / gamma));
    // NaN becomes black.
    color = vec4(mix(value, vec3(0.0), isnan(x)), 1.0);
}
