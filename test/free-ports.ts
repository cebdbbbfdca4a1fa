import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

/** Each process of tests has a block of ports of its own. */
const BLOCK = 100
const BLOCKS = 120
/** Where systems do not say which ports they give to those who ask for any. */
const USUAL_FIRST_EPHEMERAL = 32_768
const LOWEST = 2_048

/**
 * Ports that the system gives to nobody by itself, neither to those who listen at any port nor to connections. One that is
 * free now stays free until the process starts that it is for, also while a server restarts.
 */
class PortBlock {
  readonly #base: number
  #next = 1

  private constructor(base: number) {
    this.#base = base
  }

  /** A block is taken by listening at its first port, so that it is free again however its process ends. */
  static async take(): Promise<PortBlock> {
    const lowest = Math.max(firstEphemeral() - BLOCK * BLOCKS, LOWEST)
    for (let n = 0; n < BLOCKS; n++) {
      const base = lowest + ((process.pid + n) % BLOCKS) * BLOCK
      const server = await listening(base)
      server?.unref()
      if (server !== undefined) return new PortBlock(base)
    }
    throw new Error('every block of ports is taken: too many processes of tests run')
  }

  /** The first of so many ports in a row that are free. Each is given again only after all others. */
  async free(count: number): Promise<number> {
    for (let tries = 0; tries < BLOCK; tries++) {
      if (this.#next + count > BLOCK) this.#next = 1
      const port = this.#base + this.#next
      this.#next += count
      const free = await Promise.all(Array.from({ length: count }, (_, at) => isFree(port + at)))
      if (free.every(Boolean)) return port
    }
    throw new Error('every port of the block is taken: too many servers run')
  }
}

let block: Promise<PortBlock> | undefined

/** A port that this process gives to one server. */
export async function freePort(): Promise<number> {
  return await (await (block ??= PortBlock.take())).free(1)
}

/** The first of four ports in a row that this process gives to one control plane. */
export async function freePorts(): Promise<number> {
  return await (await (block ??= PortBlock.take())).free(4)
}

/** Can somebody listen on it? */
export async function isFree(port: number): Promise<boolean> {
  const server = await listening(port)
  if (server === undefined) return false
  await new Promise((resolve) => server.close(resolve))
  return true
}

/** Undefined where the port is taken. */
function listening(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function firstEphemeral(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
  } catch {
    return USUAL_FIRST_EPHEMERAL
  }
}
