"""The stand-in engine: it loads a node as the RocketRide engine does and stands on the other side of all its doors."""
