import { hostname, networkInterfaces } from 'node:os'

/** The names and addresses of this machine, as a certificate can hold them. */
export function machineNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address))
  // Link-local addresses come with a zone, which no certificate can hold.
  return [hostname(), ...addresses.filter((address) => !/^fe80:/i.test(address))]
}
