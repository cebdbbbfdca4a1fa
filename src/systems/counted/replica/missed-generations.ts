/**
 * Reports whether this replica may have missed specs between two generations of a quota. It has missed none between one
 * generation and the next.
 */
export const isMissed = (before: number, after: number): boolean => after !== before && after !== before + 1
