"""What following handles knows and believes of C alone: one question a module, asked by the flow functions above."""
