// One import is enough: what the calls of this module take and return comes with it. What these modules make public is
// listed in Tests/ProjectTests/PublicInterface.txt, which a test compares with the sources; all else is `package`.
@_exported import ByteStreams
@_exported import CivilTime
@_exported import Exchange
@_exported import Journals
@_exported import Records
@_exported import Snapshots
@_exported import Tasks

@_exported import struct FoundationEssentials.URL
@_exported import struct FoundationEssentials.UUID
@_exported import enum KeyValue.ErrorKind
@_exported import enum KeyValue.KeyValueError
@_exported import struct KeyValue.LockHolder
@_exported import struct KeyValue.LockWait
