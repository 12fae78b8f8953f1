"""What following handles knows and believes of Java alone: one question a module, asked by the flow functions above."""
