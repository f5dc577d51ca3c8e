import type * as Library from './mcpServerSdk';

export type Mcp = typeof Library;
