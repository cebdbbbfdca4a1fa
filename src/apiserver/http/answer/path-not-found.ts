/** Nothing is served at this path: answered as plain text, as upstream does. */
export class PathNotFound extends Error {}
