// A program that imports ChatClient has every type of its signatures, without a list of modules.
@_exported public import ChatWire
@_exported public import Diffable
@_exported public import Publishing
@_exported public import Replicas
