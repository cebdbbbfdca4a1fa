/** The identity of one client: an IPv4 address, or the network that one IPv6 client has of its own. */
export const networkOf = (address: string): string =>
  address.includes(':') && !address.startsWith('::') ? address.split(':').slice(0, 4).join(':') : address
