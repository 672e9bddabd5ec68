import { treeOf } from "./tree.ts";

self.onmessage = ({ data }: MessageEvent<string>) => {
  try {
    self.postMessage(treeOf(data));
  } catch {
    self.postMessage(undefined);
  }
};
