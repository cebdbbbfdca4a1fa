/** The ports of each replica, named as the flags of `allot run` and as what is served there. */
export const PORTS = [
  { name: 'webhook', serves: 'webhooks', port: 9443 },
  { name: 'metrics', serves: 'metrics', port: 8080 },
  { name: 'health', serves: 'health', port: 8081 },
] as const
