#version 450 core

// One triangle that covers the picture. Row 0 is its top, in the film and in the picture alike.

out vec2 place;

void main() {
    place = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(place * 2.0 - 1.0, 0.0, 1.0);
}
