import { objectsOf } from '../../machinery/read.ts'
import type { Peer } from './peer.ts'
import { type PeerFacts, purposeOf } from './peer-facts.ts'
import { shortened } from './peer-refusal.ts'

/** Returns what the command will do and for whom, a line each. */
export function planLines(peer: Peer, facts: PeerFacts, outside: boolean): readonly string[] {
  const { title } = peer
  const hooks = facts.configurations.flatMap(({ object, hooks: names }) =>
    objectsOf(object.webhooks).filter(({ name }) => names.includes(String(name))),
  )
  const ofPurpose = (purpose: string): number => hooks.filter((hook) => purposeOf(hook, peer) === purpose).length
  const kept = Object.entries(facts.counts).map(([kind, count]) => `${count} ${kind}`)
  return [
    ...facts.workloads.map(
      ({ namespace, name, replicas, version }) =>
        `${title}: the Deployment ${namespace}/${name} (${version || 'of an unknown version'}) goes from ${replicas} replicas to 0`,
    ),
    ...Object.entries(facts.unserved).map(
      ([kind, names]) => `nobody looks after the ${names.length} of the kind ${kind} any more: ${shortened(names)}`,
    ),
    ...(ofPurpose('other') === 0
      ? []
      : [`webhooks of ${title} for what allot does not serve go at once: ${ofPurpose('other')}`]),
    leadLine(facts, outside),
    ...(ofPurpose('kinds') === 0
      ? []
      : [`webhooks of ${title} for the kinds go when those of allot are in force: ${ofPurpose('kinds')}`]),
    ...(ofPurpose('charges') === 0
      ? []
      : [`webhooks of ${title} for what quotas count go when allot decides for every quota: ${ofPurpose('charges')}`]),
    `kept, with statuses and ledgers: ${kept.join(', ')}`,
  ]
}

function leadLine({ allotReplicas }: PeerFacts, outside: boolean): string {
  if (outside) return 'allot leads: start it as soon as this command asks for it'
  return allotReplicas === undefined
    ? 'allot is not installed: install it when this command has ended'
    : 'allot leads: its pods are started anew'
}
