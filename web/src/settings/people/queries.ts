import { graphql, type ResultOf } from "@/lib/graphql.ts";

export const PersonFragment = graphql(`
  fragment PersonFields on Person @_unmask {
    person
    name
    role
    email
    you
    createdAt
    removedAt
    browsers {
      by
      signedInAt
      lastUsedAt
    }
  }
`);

export type PersonData = ResultOf<typeof PersonFragment>;

export const PeopleQuery = graphql(
  `
    query People {
      listPeople {
        people {
          ...PersonFields
        }
      }
    }
  `,
  [PersonFragment],
);

export const InvitePerson = graphql(`
  mutation InvitePerson($name: String, $role: String, $person: String) {
    invitePerson(input: { name: $name, role: $role, person: $person }) {
      result {
        link
        name
        role
      }
    }
  }
`);

export const ChangeRole = graphql(`
  mutation ChangeRole($person: String!, $role: String!) {
    changeRole(input: { person: $person, role: $role }) {
      result {
        person
      }
    }
  }
`);

export const RemovePerson = graphql(`
  mutation RemovePerson($person: String!) {
    removePerson(input: { person: $person }) {
      result {
        person
      }
    }
  }
`);

export const SignOutPerson = graphql(`
  mutation SignOutPerson($person: String!) {
    signOutPerson(input: { person: $person }) {
      result {
        person
      }
    }
  }
`);
