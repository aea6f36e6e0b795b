# SPDX-License-Identifier: BSD-3-Clause
# profile.sql -> a C string.
BEGIN { print "#include \"format/profile.h\"\nconst char wf_profile_schema[] =" }
{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); printf "    \"%s\\n\"\n", $0 }
END { print "    ;" }
