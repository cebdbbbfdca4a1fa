/** May there have been specs between two generations of a quota that this replica has not seen? Not between one and the next. */
export const isMissed = (before: number, after: number): boolean => after !== before && after !== before + 1
