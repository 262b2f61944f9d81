"""Search: from the choices that a graph leaves open to the best plan that is found."""
