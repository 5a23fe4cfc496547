// Generated from catalogue.csv. TODO: nobody should see this one, the file is in .ignore.
export const catalogue = [{ isbn: '978-0-00-000000-2', title: 'A decoy' }]
