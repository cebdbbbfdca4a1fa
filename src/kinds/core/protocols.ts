/** The protocols of ports, sorted as messages list them. */
export const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP']
