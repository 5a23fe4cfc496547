// TODO: nobody should see this one, the folder is in .ignore.
// FIXME: nor this one.
