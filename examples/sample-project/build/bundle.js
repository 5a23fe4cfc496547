// TODO: nobody should see this one, the folder is in .gitignore.
// FIXME: nor this one.
