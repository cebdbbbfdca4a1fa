import { createServer } from 'node:net'

/** The first of four ports in a row that are free now. */
export async function freePorts(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const free = await Promise.all([0, 1, 2, 3].map((offset) => isFree(port + offset)))
    if (free.every(Boolean)) return port
  }
}

/** Can somebody listen on it? */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
