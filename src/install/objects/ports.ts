/** The ports of each replica, named as the flags of `allot run` and as what is served there. */
export const PORTS = [
  { name: 'webhook', serves: 'webhooks', port: 9443 },
  { name: 'metrics', serves: 'metrics', port: 8080 },
  { name: 'health', serves: 'health', port: 8081 },
] as const

/** The port of the dashboard of each replica, where it is wanted. */
export const DASHBOARD_PORT = { name: 'dashboard', serves: 'dashboard', port: 8443 } as const
/** Is the dashboard wanted? */
export const HAS_DASHBOARD = 'dashboard.enabled'
