#pragma once

#include "renderer/core/variant.h"

// The members of Variant by name, for code that treats them all alike. No kernel includes this.

namespace rayscope {

#define RAYSCOPE_VISIT(member) visit(#member, &Variant::member)

/// Calls visit("engine", &Variant::engine) and so on, for the members that the user chooses by
/// axes.
template <class Visit>
constexpr void visitChoices(Visit&& visit) {
    RAYSCOPE_VISIT(engine);
    RAYSCOPE_VISIT(path);
    RAYSCOPE_VISIT(regeneration);
    RAYSCOPE_VISIT(samplesFrom);
    RAYSCOPE_VISIT(begin);
    RAYSCOPE_VISIT(precision);
    RAYSCOPE_VISIT(sceneLayout);
    RAYSCOPE_VISIT(sceneMemory);
    RAYSCOPE_VISIT(tile);
    RAYSCOPE_VISIT(accel);
    RAYSCOPE_VISIT(traversal);
    RAYSCOPE_VISIT(stack);
    RAYSCOPE_VISIT(nodeMemory);
    RAYSCOPE_VISIT(triangle);
    RAYSCOPE_VISIT(vertexLayout);
    RAYSCOPE_VISIT(vertexPrecision);
    RAYSCOPE_VISIT(search);
    RAYSCOPE_VISIT(roots);
    RAYSCOPE_VISIT(math);
    RAYSCOPE_VISIT(sampling);
    RAYSCOPE_VISIT(dispatch);
    RAYSCOPE_VISIT(random);
    RAYSCOPE_VISIT(numbers);
    RAYSCOPE_VISIT(samplesAs);
    RAYSCOPE_VISIT(film);
    RAYSCOPE_VISIT(stateLayout);
    RAYSCOPE_VISIT(sampleLayout);
    RAYSCOPE_VISIT(record);
    RAYSCOPE_VISIT(access);
    RAYSCOPE_VISIT(stages);
    RAYSCOPE_VISIT(compaction);
    RAYSCOPE_VISIT(raySource);
    RAYSCOPE_VISIT(accumulate);
    RAYSCOPE_VISIT(rayOrder);
    RAYSCOPE_VISIT(materialOrder);
    RAYSCOPE_VISIT(code);
    RAYSCOPE_VISIT(compiler);
    RAYSCOPE_VISIT(opt);
    RAYSCOPE_VISIT(vectors);
    RAYSCOPE_VISIT(lanes);
    RAYSCOPE_VISIT(scan);
    RAYSCOPE_VISIT(lanesTake);
    RAYSCOPE_VISIT(laneRefill);
    RAYSCOPE_VISIT(lightSampling);
    RAYSCOPE_VISIT(lightQueue);
    RAYSCOPE_VISIT(blockX);
    RAYSCOPE_VISIT(blockY);
    RAYSCOPE_VISIT(maxRegisters);
    RAYSCOPE_VISIT(order);
}

/// The same for the members that the program sets.
template <class Visit>
constexpr void visitDerived(Visit&& visit) {
    RAYSCOPE_VISIT(stackLevels);
    RAYSCOPE_VISIT(isa);
    RAYSCOPE_VISIT(wide);
    RAYSCOPE_VISIT(countRays);
    RAYSCOPE_VISIT(countDepths);
    RAYSCOPE_VISIT(recordLengths);
    RAYSCOPE_VISIT(recordTime);
    RAYSCOPE_VISIT(traits);
}

#undef RAYSCOPE_VISIT

/// All members, in the order of their declaration.
template <class Visit>
constexpr void visitMembers(Visit&& visit) {
    visitChoices(visit);
    visitDerived(visit);
}

}  // namespace rayscope
