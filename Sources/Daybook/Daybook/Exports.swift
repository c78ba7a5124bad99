// One import is enough: what the calls of this module take and give comes with it.
@_exported import ByteStreams
@_exported import CivilTime
@_exported import Exchange
@_exported import Records
@_exported import Snapshots
@_exported import Tasks

@_exported import struct FoundationEssentials.UUID
