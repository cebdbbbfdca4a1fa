import { afterwards } from '../../insight/explain/afterwards.ts'
import { isClasses, isLookedUp, withPlannedClasses } from '../../insight/explain/cluster-classes.ts'
import type { Explanation } from '../../insight/explain/explanation.ts'
import { explanationText } from '../../insight/explain/explanation-text.ts'
import type { Facts } from '../../insight/explain/facts.ts'
import { isPlannedLimit, isSimulatedLimit, withPlannedLimits } from '../../insight/explain/planned-limits.ts'
import { appliedTo } from '../../insight/apply-manifest.ts'
import type { Schemas } from '../../insight/schemas.ts'
import { simulatedLimits } from '../../insight/simulate/simulated-limits.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isForbidden, isNotFound, qualified } from '../../machinery/status.ts'
import { shellWord } from '../../machinery/text/shell-word.ts'
import { inOneLine } from '../../machinery/text/shown.ts'
import {
  type Asked,
  askedObject,
  explainAsked,
  ExplainError,
  withPools,
  withRights,
} from '../../reading/explain-object.ts'
import { accessOfFlags } from '../access/of-flags.ts'
import type { CliContext } from '../context.ts'
import { LeftOver } from '../migrate/left-over.ts'
import { manifestText } from '../migrate/files.ts'
import { packageVersion } from '../package-version.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { builtinSchemas } from '../reading/builtin-schemas.ts'
import { readPlacedPaths } from '../reading/read-manifest-paths.ts'
import { readState } from '../reading/read-state.ts'
import { decodeManifests } from './decode-manifests.ts'
import type { ExplainFlags } from './command.ts'
import { readFacts } from '../../reading/read-facts.ts'
import { withOwners } from '../../reading/read-owners.ts'
import type { NamedObject } from './named-object.ts'
import { readClaimRoom } from '../../reading/read-claim-room.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'

/**
 * Explains an object, or manifests, and prints that. Throws ExplainError and MigrateError for a question that makes no sense, KubeconfigError,
 * ServerUnreachable and ApiError, and LeftOver where something is in the way.
 */
export async function runExplain(
  named: NamedObject | undefined,
  flags: ExplainFlags,
  context: CliContext,
): Promise<void> {
  const question = named ?? (await readGiven(flags))
  const { environment, out, stop } = context
  const access = accessOfFlags(flags, environment)
  const namespace = flags.namespace ?? access.namespace
  const kubectl = kubectlFor(flags, namespace)
  const { client, close } = openKubeClient({ access, environment, version: packageVersion() })
  try {
    const kinds = await ServedKinds.read(client, stop)
    const [{ asked, limits }, facts] = await Promise.all([
      'manifests' in question
        ? asManifests(question, client, kinds, namespace, context)
        : askedObject(client, kinds, { ...question, namespace, kubectl }, stop).then((one) => ({
            asked: [one],
            limits: [],
          })),
      readFacts(client, kinds, namespace, systemContext.now(), kubectl, stop),
    ])
    const before =
      'manifests' in question ? await withLimits(facts, limits, question.schemas, client, kinds, context) : facts
    const first = inTurn(asked, before)
    const whole = await withOwners(first, before, client, kinds, stop)
    const found = whole === before ? first : inTurn(asked, whole)
    const known = await withPools(found, () => readClaimRoom(client, kinds, namespace, kubectl, stop))
    const explanations: Explanation[] = []
    for (const one of known) explanations.push(await withRights(one, namespace, client, stop))
    out(printed(explanations, flags))
    if (explanations.some(({ verdict }) => verdict === 'blocked')) throw new LeftOver()
    const unknown = explanations.filter(({ verdict }) => verdict === 'unknown')
    // Nothing hides it: what would say how it stands is not there yet.
    const undecided = unknown.find(({ notSeen }) => notSeen.length === 0)
    if (undecided !== undefined)
      throw new ExplainError(
        `nobody has looked at ${undecided.object.kind} ${undecided.object.name} yet`,
        'wait a moment if it is new; otherwise see whether the operator of allot runs in this cluster',
      )
    const hidden = asked.filter(({ isHidden }) => isHidden === true).map(({ kind }) => qualified(kind))
    if (hidden.length > 0)
      throw new ExplainError(
        `you may not read ${[...new Set(hidden)].toSorted().join(', ')} in namespace ${namespace}, so that nobody can tell whether what is asked about exists`,
        'ask for the right to get them',
      )
    if (unknown.length > 0)
      throw new ExplainError(
        `you may not list ${facts.notSeen
          .map(({ resource }) => resource)
          .filter((resource) => !isClasses(resource))
          .toSorted()
          .join(', ')} in namespace ${namespace}`,
        'ask for the right to do so (the role view of Kubernetes has it)',
      )
  } finally {
    await close()
  }
}

/** The explanations of objects, each once those before it are there. Throws ExplainError. */
function inTurn(asked: readonly Asked[], before: Facts): readonly Explanation[] {
  let now = before
  return asked.map((one) => {
    const explanation = explainAsked(one, now)
    // A stored object takes its room already.
    if (one.isHidden !== true) now = afterwards(now, one, one.kind)
    return explanation
  })
}

/** The command by which its reader comes to the same cluster and namespace. */
function kubectlFor({ kubeconfig, context }: ExplainFlags, namespace: string): string {
  const flags = [
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
  ]
  return ['kubectl', ...flags.map(shellWord), '-n', shellWord(namespace)].join(' ')
}

/** Manifests, with the schemas that they were decoded by. */
interface Given {
  readonly manifests: readonly KubeObject[]
  readonly schemas: Schemas
}

async function readGiven({ filename, recursive }: ExplainFlags): Promise<Given> {
  const read = { flag: '--filename', isRecursive: recursive === true, mayBeNameless: true }
  const schemas = builtinSchemas()
  return { manifests: decodeManifests(await readPlacedPaths(filename, read), schemas.decode), schemas }
}

async function asManifests(
  { manifests, schemas }: Given,
  client: KubeClient,
  kinds: ServedKinds,
  namespace: string,
  { err, stop }: CliContext,
): Promise<{ readonly asked: readonly Asked[]; readonly limits: readonly KubeObject[] }> {
  const found = await Promise.all(
    manifests.map(async (manifest, index): Promise<Found> => {
      const { name, generateName = '', namespace: own = '' } = manifest.metadata
      const kind = await kinds.ofManifest(manifest.apiVersion, manifest.kind)
      const reason =
        kind === undefined
          ? 'the API server does not serve its kind'
          : kind.namespaced
            ? own === '' || own === namespace
              ? undefined
              : `its namespace is ${own}`
            : 'it is in no namespace'
      const isLimit = isPlannedLimit(manifest) || isLookedUp(manifest)
      // What limits the namespace from outside is only taken into account.
      if (kind?.namespaced === false && isLimit) return { limit: inventedName(manifest, index) }
      if (kind === undefined || reason !== undefined) {
        err(`${inOneLine(`${manifest.kind} ${name ?? generateName} is left out: ${reason ?? ''}`)}\n`)
        return kind?.namespaced === true ? { elsewhere: own } : {}
      }
      const object = { ...manifest, metadata: { ...manifest.metadata, namespace } }
      // What gets its name from the API server is new.
      const before =
        name === undefined || name === ''
          ? undefined
          : await client.get<KubeObject>(kind, { namespace, name }, { signal: stop }).catch(unlessUnseen)
      const isHidden = before === 'hidden'
      return {
        ...(isLimit ? { limit: inventedName(object, index) } : {}),
        asked:
          before === undefined || before === 'hidden'
            ? { object, isStored: false, kind, isHidden }
            : { object: appliedTo(before, object, schemas), before, isStored: true, kind },
      }
    }),
  )
  const asked = found.flatMap((one) => one.asked ?? [])
  if (asked.length === 0) throw nothingAsked(namespace, new Set(found.flatMap((one) => one.elsewhere ?? [])))
  return { asked, limits: found.flatMap((one) => one.limit ?? []) }
}

/** Why no manifest can be explained. `elsewhere`: the other namespaces that manifests of served kinds name. */
const nothingAsked = (namespace: string, elsewhere: ReadonlySet<string>): ExplainError =>
  elsewhere.size > 0
    ? new ExplainError(
        inOneLine(`no manifest belongs to namespace ${namespace}, but to ${[...elsewhere].toSorted().join(', ')}`),
        'name one of them with --namespace',
      )
    : new ExplainError(
        'no manifest is of a kind that the API server serves in namespaces',
        'compare apiVersion and kind of the manifests with `kubectl api-resources --namespaced=true`',
      )

/** What becomes of a manifest: it is explained, or limits others, or both. One of another namespace is left out. */
interface Found {
  readonly asked?: Asked
  readonly limit?: KubeObject
  readonly elsewhere?: string
}

/** Limits are told apart by their names; each that gets its name from the API server is one of its own. */
function inventedName(limit: KubeObject, index: number): KubeObject {
  const { name = '', generateName = '' } = limit.metadata
  return name === '' ? { ...limit, metadata: { ...limit.metadata, name: `${generateName}${index + 1}` } } : limit
}

/** The facts with the limits and classes among manifests, and with those that allot would answer them with. */
async function withLimits(
  stored: Facts,
  manifests: readonly KubeObject[],
  schemas: Schemas,
  client: KubeClient,
  kinds: ServedKinds,
  { err, stop }: CliContext,
): Promise<Facts> {
  const facts = withPlannedClasses(stored, manifests)
  const native = manifests.filter((one) => !isSimulatedLimit(one))
  const changes = manifests.filter(isSimulatedLimit)
  const { namespace, now } = facts
  if (changes.length === 0) return withPlannedLimits(facts, native)
  const read = await readState({ client, kinds, changes, namespace, signal: stop })
  const common = { isFromCluster: true, ...schemas, namespace, now, timestamp }
  const { limits, refused, notSeen } = simulatedLimits(changes, { ...common, ...read })
  for (const one of refused) err(`${inOneLine(one)}\n`)
  return withPlannedLimits({ ...facts, notSeen: [...facts.notSeen, ...notSeen] }, [...native, ...limits])
}

/** Of an object that the caller may not read nobody can tell whether it is there. */
function unlessUnseen(error: unknown): 'hidden' | undefined {
  if (isForbidden(error)) return 'hidden'
  if (!isNotFound(error)) throw error
  return undefined
}

function printed(explanations: readonly Explanation[], { output, filename }: ExplainFlags): string {
  if (output === 'text')
    return explanations.map((one) => explanationText(one, (manifest) => manifestText([manifest]))).join('\n')
  const [first] = explanations
  return `${JSON.stringify(filename.length > 0 ? explanations : first, undefined, 2)}\n`
}
