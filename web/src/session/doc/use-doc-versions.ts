import { useEffect, useState } from "react";
import { pageClient } from "../page-client.ts";
import { type DocVersion, DocVersionQuery, DocVersionsQuery } from "../queries.ts";

const MOST = 500;

/** Who wrote which version, newest first; read again when there is a new one. */
export function useDocVersions(id: string, newest: number): DocVersion[] {
  const [versions, setVersions] = useState<DocVersion[]>([]);
  useEffect(() => {
    if (newest === 0) return;
    let current = true;
    pageClient
      .query(DocVersionsQuery, { id, first: MOST })
      .toPromise()
      .then(({ data }) => {
        if (current && data?.session) setVersions(data.session.sessionDocHistories.nodes);
      });
    return () => {
      current = false;
    };
  }, [id, newest]);
  return versions;
}

/** The text of one version; undefined while it is on its way. Version 0 is the empty document. */
export function useDocVersion(id: string, version: number | undefined): { text?: string; failed: boolean } {
  const [read, setRead] = useState<{ version: number; text?: string; failed: boolean }>();
  useEffect(() => {
    if (!version) return;
    let current = true;
    pageClient
      .query(DocVersionQuery, { id, version })
      .toPromise()
      .then(({ data, error }) => {
        if (!current) return;
        if (error) setRead({ version, failed: true });
        else setRead({ version, text: data?.sessionDocHistory?.content ?? "", failed: false });
      });
    return () => {
      current = false;
    };
  }, [id, version]);
  if (version === 0) return { text: "", failed: false };
  return read && read.version === version ? read : { failed: false };
}
