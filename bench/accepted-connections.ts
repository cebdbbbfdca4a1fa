import { readFileSync } from 'node:fs'

/** How many TCP connections the processes of this machine have accepted by now (`PassiveOpens` of /proc/net/snmp). */
export function acceptedConnections(): number {
  const [names = [], values = []] = readFileSync('/proc/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'))
    .map((line) => line.split(' '))
  return Number(values[names.indexOf('PassiveOpens')])
}
