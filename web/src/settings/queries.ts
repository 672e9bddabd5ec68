import { graphql, type ResultOf } from "@/lib/graphql.ts";

export const SettingFragment = graphql(`
  fragment SettingFields on Setting @_unmask {
    name
    category
    type
    value
    defaultValue
    minimum
    maximum
    choices
    description
    updatedAt
  }
`);

export type SettingData = ResultOf<typeof SettingFragment>;

export const SettingsQuery = graphql(
  `
    query Settings {
      settings {
        nodes {
          ...SettingFields
        }
      }
    }
  `,
  [SettingFragment],
);

export const SettingsChanged = graphql(
  `
    subscription SettingsChanged {
      settingsChanged {
        query {
          settings {
            nodes {
              ...SettingFields
            }
          }
        }
      }
    }
  `,
  [SettingFragment],
);

export const ChangedFunctionFragment = graphql(`
  fragment ChangedFunctionFields on ChangedFunction @_unmask {
    name
    signature
    file
    ours
    theirs
    movedOn
    revokedFrom
    keptAside
  }
`);

export type ChangedFunctionData = ResultOf<typeof ChangedFunctionFragment>;

export const ChangedFunctionsQuery = graphql(
  `
    query ChangedFunctions {
      changedFunctions {
        nodes {
          ...ChangedFunctionFields
        }
      }
    }
  `,
  [ChangedFunctionFragment],
);

export const CallArrived = graphql(`
  subscription CallArrived {
    callArrived {
      query {
        __typename
      }
    }
  }
`);

export const UpdateSetting = graphql(
  `
    mutation UpdateSetting($name: String!, $value: JSON!) {
      updateSetting(input: { name: $name, value: $value }) {
        result {
          ...SettingFields
        }
      }
    }
  `,
  [SettingFragment],
);
