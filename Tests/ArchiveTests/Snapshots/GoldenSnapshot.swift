let goldenSnapshot = """
    00
    """
