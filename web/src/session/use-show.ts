import { useCallback } from "react";
import { type SessionSearch, sessionRoute } from "@/router.tsx";

/** Changes what is looked at, and nothing else of the address. It is no step to go back to. */
export function useShow() {
  const navigate = sessionRoute.useNavigate();
  return useCallback(
    (to: SessionSearch) =>
      navigate({
        search: (old) => ({ ...old, ...to }),
        // The router may not have heard of a jump that has just begun.
        hash: location.hash.slice(1),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
}
