import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from '@prometheus-io/client'
import { readQuotaConfiguration } from '../../systems/resource-quota/api/configuration.ts'
import { OPERATOR_BOUNDS, UsageHistory } from '../../insight/history/usage-history.ts'
import { CONFIGURATION_NAMES } from '../../install/installed-names.ts'
import { shellWord } from '../../machinery/text/shell-word.ts'
import { assertIdentity } from '../../runtime/certificate/identity.ts'
import { assertReplaceable, removeStaleKubeconfig, writeAdminKubeconfig } from '../../runtime/files/admin-kubeconfig.ts'
import { readConfigurationFile } from '../../runtime/files/configuration-file.ts'
import { DataDirectory } from '../../runtime/files/data-directory.ts'
import { warnOfUnknownParser } from '../../runtime/http/head/http-parser.ts'
import { showBuild } from '../../runtime/process/build-info.ts'
import { logClockSteps } from '../../runtime/process/clock-log.ts'
import { createLogger } from '../../runtime/process/logger.ts'
import { Metrics } from '../../runtime/process/metrics.ts'
import { clockStepsOf } from '../../runtime/time/clock-steps.ts'
import type { CliContext } from '../context.ts'
import { readOperatorSettings } from '../operator-settings.ts'
import { localAccess } from '../access/local.ts'
import { DASHBOARD_HOST } from '../flag-conflicts.ts'
import { packageVersion } from '../package-version.ts'
import { webhookPortNotice } from '../webhook-port-notice.ts'
import { ApiPort } from './api-port.ts'
import { LongStart } from './long-start.ts'
import { openStore } from './open-store.ts'
import { type OperatorBeside, runBeside } from './run-beside.ts'
import { type LoadedServer, startControlPlane } from './start-control-plane.ts'
import type { UpContext } from './context.ts'
import type { UpOptions } from './options.ts'
import type { OperatorPorts } from '../../operator/operator.ts'

/** How long the operator may take to release its lease before requests are turned away; part of what Docker gives. */
const RELEASE_LEASE_MS = 1_500
/** In the data directory, for its owner only. */
const DASHBOARD_FILE = 'dashboard-url'

/**
 * Runs the embedded control plane until `stop`, then lets requests finish and closes everything. Prints the addresses
 * when the server is ready, and the data directory when it has ended. Throws StartupError and StoreError if it cannot
 * start. Throws StoreError if the data directory lacks acknowledged writes at the end.
 */
export async function up(options: UpOptions, cli: CliContext): Promise<void> {
  let unkept: unknown
  const directory = await serve(options, cli, (error) => (unkept = error))
  if (unkept !== undefined) throw unkept
  const kept = options.inMemory ? 'only certificates and the kubeconfig are kept in' : 'state is kept in'
  cli.out(`stopped; ${kept} ${directory}\n`)
}

/** Gives the data directory when everything has ended; `onUnkept` is called when it does not hold every acknowledged write. */
async function serve(
  options: UpOptions,
  { out, stop }: CliContext,
  onUnkept: (error: unknown) => void,
): Promise<string> {
  const logger = createLogger(options.logLevel)
  const registry = new Registry()
  const clockSteps = clockStepsOf(Date.now)
  const metrics = new Metrics(registry)
  showBuild(registry, packageVersion())
  // Every file that a flag names is read before anything is written.
  const limitedResources = limitedResourcesOf(options)
  const settings = options.operator ? await readOperatorSettings(options, { host: options.webhookHost }) : undefined
  const notice = webhookPortNotice(options)
  if (notice !== undefined) logger.warn({}, notice)
  warnOfUnknownParser(logger)
  const given = options.kubeconfig === undefined ? undefined : resolve(options.kubeconfig)
  if (given !== undefined) assertReplaceable(given)
  await using closing = new AsyncDisposableStack()
  closing.defer(logClockSteps(clockSteps, logger))
  const history = new UsageHistory(OPERATOR_BOUNDS)
  const context: UpContext = { options, logger, registry, metrics, history, clockSteps, closing }

  const directory = DataDirectory.open(options.dataDir)
  closing.defer(() => directory.close())
  const kubeconfig = given ?? directory.file('kubeconfig')
  assertReplaceable(kubeconfig)
  assertIdentity(directory)
  out('starting …\n')
  const loading = loadServer(options.workloads)
  // The store comes first: in a directory that is not ours, or damaged, nothing else is to be written.
  const store = await openStore(context, directory, onUnkept)
  directory.accept()
  const port = await ApiPort.open(context, { directory, kubeconfig })
  const loaded = await loading
  removeStaleKubeconfig(kubeconfig, port.access)
  const long = new LongStart({
    logger,
    access: port.access,
    kubeconfig: directory.file('kubeconfig.starting'),
    own: CONFIGURATION_NAMES,
  })
  closing.defer(() => long.over())
  const plane = await startControlPlane(context, loaded, { store, port, limitedResources }, stop)
  const beside: OperatorBeside | undefined =
    settings === undefined || stop.aborted
      ? undefined
      : await runBeside(context, settings, { port, plane, directory, long }, stop)
  const dashboard = options.dashboard && !stop.aborted ? await serveDashboard(context, port, directory) : undefined

  if (!stop.aborted) {
    await store.whenReserveKnown()
    // In one go, so that a client which learns of either finds the other.
    port.gate.open(plane)
    long.over()
    writeAdminKubeconfig(kubeconfig, { ...port.access, caCertificate: port.current.authority.certificate })
    const state = options.inMemory ? 'in memory, gone when it stops' : directory.path
    out(announcement(port.url, kubeconfig, state, beside?.ports, dashboard))
    const { inMemory } = options
    logger.info(
      { url: port.url, directory: directory.path, inMemory, ...beside?.ports, dashboardUrl: dashboard?.url },
      'ready',
    )
    await once(stop, 'abort')
  }
  logger.info({}, 'stopping')
  // While the API still accepts it: the next leader need not wait for the lease to expire.
  await Promise.race([beside?.releaseLease(), sleep(RELEASE_LEASE_MS, undefined, { ref: false })])
  await port.close()
  return directory.path
}

const limitedResourcesOf = ({ limitedResources: file }: UpOptions) =>
  file === undefined ? [] : readConfigurationFile(file, '--limited-resources', readQuotaConfiguration).limitedResources

/** Loads the code of the server, which takes as long as the store does to open. */
async function loadServer(withWorkloads: boolean): Promise<LoadedServer> {
  const [apiserver, workloads] = await Promise.all([
    import('../../apiserver/control-plane.ts'),
    withWorkloads ? import('../../apiserver/workload/workloads.ts') : undefined,
  ])
  return { apiserver, startWorkloads: workloads?.startWorkloads }
}

/** Where the dashboard is, and the file with a URL that signs in. */
interface ServedDashboard {
  readonly url: string
  readonly file: string
}

/**
 * Serves the dashboard on this machine only, where tokens may go in clear. The URL with the administrator's token is for the owner of the data
 * directory: it is never printed. What follows `#` is not sent to a server.
 */
async function serveDashboard(
  { options, logger, history, closing }: UpContext,
  port: ApiPort,
  directory: DataDirectory,
): Promise<ServedDashboard> {
  const { openDashboard } = await import('../open-dashboard.ts')
  const access = localAccess({
    url: port.url,
    ca: () => port.current.authority.certificate,
    token: '',
    systemNamespace: options.systemNamespace,
  })
  const { dashboardPort, warnAt } = options
  const served = {
    host: DASHBOARD_HOST,
    hostFlag: '--dashboard-port',
    port: dashboardPort,
    names: [],
    warnAt,
    history,
    logger,
  }
  const dashboard = await openDashboard({ access, environment: {} }, served, closing)
  const url = `http://${DASHBOARD_HOST}:${dashboard.port}`
  directory.write(DASHBOARD_FILE, `${url}/#token=${port.access.token}\n`)
  const file = directory.file(DASHBOARD_FILE)
  closing.defer(() => rmSync(file, { force: true }))
  return { url, file }
}

/** Returns exactly three lines: the addresses, how to connect, and a first command. */
function announcement(
  url: string,
  kubeconfig: string,
  state: string,
  ports: OperatorPorts | undefined,
  dashboard: ServedDashboard | undefined,
): string {
  const operator =
    ports === undefined
      ? ''
      : `, webhooks on port ${ports.webhookPort}, /metrics on ${ports.metricsPort}, /readyz on ${ports.healthPort}`
  const page = dashboard === undefined ? '' : `, dashboard on ${dashboard.url} (the URL in ${dashboard.file} signs in)`
  return `allot ${packageVersion()} is running: Kubernetes 1.36 API on ${url}, state ${state}${operator}${page}
export KUBECONFIG=${shellWord(kubeconfig)}
kubectl create namespace demo && kubectl -n demo create quota small --hard=pods=2 && kubectl -n demo describe quota
`
}
