import WebServer
print(hello())
